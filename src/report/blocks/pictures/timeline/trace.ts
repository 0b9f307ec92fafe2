/** The launches of a profile as a file that viewers of traces open. */
import type { ILaunch } from '../../../../model/types';

const MICROSECONDS = 1e6;

/** In Chrome's trace format: a process a program, a thread a stream. */
export function traceOf(timeline: readonly ILaunch[]): string {
  const programs = [...new Set(timeline.map(({ program }) => program))];
  const events = timeline.map(one => ({
    name: one.name,
    cat: one.kind,
    ph: 'X',
    ts: one.start_s * MICROSECONDS,
    dur: one.seconds * MICROSECONDS,
    pid: programs.indexOf(one.program),
    tid: `${one.phase}, ${one.kind === 'launch' ? 'host' : `stream ${one.stream}`}`
  }));
  const names = programs.map((name, pid) => ({
    name: 'process_name',
    ph: 'M',
    pid,
    args: { name }
  }));
  return JSON.stringify({ traceEvents: [...names, ...events] });
}

export function saveTrace(timeline: readonly ILaunch[]): void {
  const url = URL.createObjectURL(
    new Blob([traceOf(timeline)], { type: 'application/json' })
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = 'kernelgate-trace.json';
  link.click();
  URL.revokeObjectURL(url);
}
