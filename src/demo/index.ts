/**
 * The demo page of the documentation: saved reports, drawn by the same renderer
 * as in JupyterLab. Nothing is installed, and no kernel is asked.
 *
 * In: the reports that the tests have, bundled by `webpack.demo.config.js`, and
 * the page of `docs/demo.md`. Not here: the colours (`docs/site.css`).
 */
import { MimeModel } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import '@lumino/widgets/style/menu.css';
import '../../style/ui.css';
import { REPORT_MIME } from '../model/mimeType';
import extension from '../report';

/** The report of a choice, and its summary. */
const load = async (name: string) => {
  const [report, text] = await Promise.all([
    import(`../../python/tests/fixtures/reports/${name}.json`),
    import(`../../python/tests/fixtures/reports/${name}.txt`)
  ]);
  return { [REPORT_MIME]: report.default, 'text/plain': text.default };
};

let shown: Widget | null = null;

async function show(name: string, place: HTMLElement): Promise<void> {
  const data = await load(name);
  const widget = extension.rendererFactory.createRenderer({
    mimeType: REPORT_MIME,
    resolver: null,
    sanitizer: { sanitize: text => text },
    linkHandler: null,
    latexTypesetter: null
  });
  shown?.dispose();
  shown = widget;
  Widget.attach(widget, place);
  await widget.renderModel(new MimeModel({ data }));
}

const choice = document.querySelector<HTMLSelectElement>('#demo-choice');
const place = document.querySelector<HTMLElement>('#demo-report');
if (choice && place) {
  const draw = () => void show(choice.value, place);
  choice.addEventListener('change', draw);
  draw();
}
