import { recorded } from '../../../model/__tests__/recorded';
import { asJson, asMarkdown } from '../copies';

it('is Markdown with the verdict in bold and the summary as it stands', () => {
  expect(asMarkdown(recorded('wrong-result'), 'FAILED  wrong\n')).toBe(
    '**LeakyReLU 64x3072 float32: Wrong result: negative inputs are returned unchanged**\n\n```text\nFAILED  wrong\n```\n'
  );
});

it('is Markdown that no text of a report breaks out of', () => {
  const report = recorded('pass');
  report.verdict!.sentence = '**<img src=x>** [a](b) `c`';
  const [head, , fence] = asMarkdown(report, 'a\n````\nb').split('\n');
  expect(head).toContain('\\*\\*\\<img src=x\\>\\*\\* \\[a\\]\\(b\\) \\`c\\`');
  expect(fence).toBe('`````text');
});

it('is JSON that reads as the report', () => {
  const report = recorded('profile');
  expect(JSON.parse(asJson(report))).toEqual(report);
});
