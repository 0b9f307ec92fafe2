/**
 * A report in the forms in which it is taken elsewhere.
 *
 * In: a report, its text summary, or what is drawn of it. Out: a text or a
 * picture. Nothing is requested for it.
 */
import type { IReport } from '../../model/types';

/** The verdict in bold, and the summary as it stands. */
export function asMarkdown(
  { title, verdict }: IReport,
  summary: string
): string {
  const fence = '`'.repeat(Math.max(3, longestFence(summary) + 1));
  const words = escaped(`${title}: ${verdict?.sentence ?? ''}`);
  return `**${words}**\n\n${fence}text\n${summary.trimEnd()}\n${fence}\n`;
}

export function asJson(report: IReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** What is drawn, twice as fine, on the ground that it stands on. */
export async function asPng(node: HTMLElement): Promise<Blob> {
  const { toBlob } = await import('html-to-image');
  const blob = await toBlob(node, {
    skipFonts: true,
    pixelRatio: 2,
    backgroundColor: groundOf(node)
  });
  if (!blob) {
    throw new Error('The browser drew no picture');
  }
  return blob;
}

function groundOf(node: HTMLElement): string {
  for (let at: HTMLElement | null = node; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (!/^(transparent|rgba\(.*, 0\))?$/.test(backgroundColor)) {
      return backgroundColor;
    }
  }
  return 'white';
}

function longestFence(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** None of its characters means anything in Markdown or HTML. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>&~-]/g, '\\$&');
}
