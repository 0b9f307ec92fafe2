/** What is compiled for GPUs that are not here. */
import { recorded } from '../../model/__tests__/recorded';
import { clearPage, draw } from './page';

afterEach(clearPage);

function section(node: HTMLElement): HTMLElement | undefined {
  return [...node.querySelectorAll<HTMLElement>('details')].find(one =>
    one.querySelector('summary b')?.textContent?.startsWith('Build for the')
  );
}

const conclusion = (node: HTMLElement) =>
  section(node)?.querySelector('summary span')?.textContent;

describe('the build for a GPU that is not here', () => {
  it('says closed what the kernels take, and that nothing was run', async () => {
    const node = await draw(recorded('problem-only'));
    expect(section(node)?.querySelector('b')?.textContent).toBe(
      'Build for the A100, compiled and not run'
    );
    expect(conclusion(node)).toBe('10 registers, no spills, occupancy 100%');
    expect(section(node)?.hasAttribute('open')).toBe(false);
  });

  it('names the compiler, and tables a row a kernel and architecture', async () => {
    const inside = section(await draw(recorded('problem-only')))!;
    expect(
      [...inside.querySelectorAll('dt')].map(one => one.textContent)
    ).toEqual(['A100 (sm_80)', 'H100 (sm_90)']);
    expect(inside.querySelector('dd')?.textContent).toMatch(
      /^Compiled · cubin .*B · NVRTC 13\.0$/
    );
    expect(
      [...inside.querySelectorAll('tbody tr')].map(one => one.textContent)
    ).toEqual(['sm_80', 'leaky100 B0 B100%', 'sm_90', 'leaky100 B0 B100%']);
  });

  it('says why nothing was looked at', async () => {
    const report = recorded('problem-only');
    const why = "NVRTC is not installed: pip install 'kernelgate[nvrtc]'";
    report.device_code = {
      ...report.device_code!,
      compiler: '',
      conclusion: 'not looked at',
      kernels: [],
      builds: report.device_code!.builds.map(one => ({
        ...one,
        state: 'not looked at' as const,
        why
      }))
    };
    const node = await draw(report);
    expect(conclusion(node)).toBe('not looked at');
    expect(section(node)?.textContent).toContain(why);
  });

  it('names kernels that were left out', async () => {
    const report = recorded('problem-only');
    report.device_code = {
      ...report.device_code!,
      left_out: ['scale'],
      more: 3
    };
    const inside = section(await draw(report))!;
    expect(inside.textContent).toContain('Not instantiatedscale');
    expect(inside.textContent).toContain('Further template arguments3');
  });

  it('folds the compiled code, and says how long it is', async () => {
    const report = recorded('problem-only');
    const text = '.version 9.0\n.target sm_80';
    report.device_code = {
      ...report.device_code!,
      listings: [{ arch: 'sm_80', kind: 'PTX', text, lines: 1200 }]
    };
    const listing = section(await draw(report))!.querySelector(
      'details.jp-KernelReport-log'
    );
    expect(listing?.querySelector('summary')?.textContent).toBe(
      'PTX for sm_80, 1,200 lines'
    );
    expect(listing?.hasAttribute('open')).toBe(false);
    expect(listing?.querySelector('pre')?.textContent).toBe(text);
  });
});
