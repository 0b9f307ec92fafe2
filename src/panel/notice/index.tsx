/**
 * The state of the kernel where it is more than a device: what is wrong or
 * awaited, and the one next step.
 */

import * as React from 'react';

import { IAppearance } from '../../ui/appearance';
import { KernelState } from '../../tokens';
import { ISectionProps } from '../props';
import { Notice } from './notice';

const ALERT: IAppearance = { tone: 'warn', shape: 'alert' };
const CLOCK: IAppearance = { tone: 'none', shape: 'clock' };
const NOTHING: IAppearance = { tone: 'none', shape: 'minus' };

interface IKernelNoticeProps extends ISectionProps {
  kernel: KernelState;
  kernelName: string;
}

export function KernelNotice(
  props: IKernelNoticeProps
): React.JSX.Element | null {
  if (props.kernel.kind === 'no-notebook') {
    return <NoNotebook {...props} />;
  }
  const notice = noticeOf(props);
  return (
    notice && (
      <div className="jp-KernelPanel-body" role="status">
        {notice}
      </div>
    )
  );
}

function NoNotebook({ actions, trans }: ISectionProps): React.JSX.Element {
  return (
    <div className="jp-KernelPanel-start">
      <b>{trans.__('Open a notebook to start')}</b>
      <p>
        {trans.__(
          'The panel shows the device, the kernels you can insert, and the runs of the notebook in front.'
        )}
      </p>
      <button onClick={() => actions.newNotebook()}>
        {trans.__('New notebook with an example')}
      </button>
    </div>
  );
}

function noticeOf({
  kernel,
  kernelName,
  actions,
  trans
}: IKernelNoticeProps): React.JSX.Element | null {
  switch (kernel.kind) {
    case 'no-kernel':
      return (
        <Notice
          appearance={NOTHING}
          title={trans.__('This notebook has no kernel')}
        >
          <p>{trans.__('Choose one to see its device and to run checks.')}</p>
          <Bar>
            <button
              className="jp-mod-primary"
              onClick={() => actions.chooseKernel()}
            >
              {trans.__('Choose kernel')}
            </button>
          </Bar>
        </Notice>
      );
    case 'starting':
      return (
        <Notice appearance={CLOCK} title={trans.__('The kernel is starting')}>
          <p>{trans.__('The device is read when it is ready.')}</p>
        </Notice>
      );
    case 'unreachable':
      return (
        <Notice
          appearance={ALERT}
          title={trans.__('The kernel’s server does not answer')}
        >
          <p>
            {trans.__(
              'What runs there may go on unheard. It is asked again every two seconds; nothing needs to be done here.'
            )}
          </p>
        </Notice>
      );
    case 'other-language':
      return (
        <Notice
          appearance={NOTHING}
          title={trans.__('This kernel runs %1', kernel.language)}
        >
          <p>
            {trans.__(
              'Programs are Python and CUDA, and are checked in a Python kernel. Nothing was sent to this one.'
            )}
          </p>
          <Bar>
            <button
              className="jp-mod-primary"
              onClick={() => actions.chooseKernel()}
            >
              {trans.__('Choose another kernel')}
            </button>
          </Bar>
        </Notice>
      );
    case 'dead':
      return (
        <Notice appearance={ALERT} title={trans.__('The kernel died')}>
          <p>{trans.__('Runs that had finished stay listed.')}</p>
          <Bar>
            <button
              className="jp-mod-primary"
              onClick={() => actions.restartKernel()}
            >
              {trans.__('Restart kernel')}
            </button>
          </Bar>
        </Notice>
      );
    case 'unasked':
    case 'asking':
      return (
        <Notice appearance={CLOCK} title={trans.__('Reading the device')} />
      );
    case 'waiting':
      return (
        <Notice
          appearance={CLOCK}
          title={trans.__('Waiting for the running cell')}
        >
          <p>
            {trans.__(
              'The kernel is busy; the device is read when it is free. Nothing else is queued.'
            )}
          </p>
        </Notice>
      );
    case 'missing':
      return (
        <Notice
          appearance={ALERT}
          title={trans.__('The kernelgate package is missing in this kernel')}
        >
          <p>
            {trans.__(
              'Kernel: %1. The panel needs it to read the device and to run checks. Run the install cell, then refresh.',
              kernelName
            )}
          </p>
          <Bar>
            <button
              className="jp-mod-primary"
              onClick={() => actions.insertInstallCell()}
            >
              {trans.__('Insert install cell')}
            </button>
          </Bar>
        </Notice>
      );
    case 'mismatch':
      return (
        <Notice
          appearance={ALERT}
          title={
            kernel.outdated === 'package'
              ? trans.__('The kernelgate package in this kernel is too old')
              : trans.__('This extension is too old for the kernel’s package')
          }
        >
          <p>
            {kernel.version !== null &&
              trans.__('The package is version %1.', kernel.version)}{' '}
            {kernel.outdated === 'package'
              ? trans.__(
                  'Run “%pip install --upgrade kernelgate” in a cell and restart the kernel.'
                )
              : trans.__(
                  'Upgrade kernelgate where JupyterLab runs, and reload the page.'
                )}
          </p>
        </Notice>
      );
    case 'failed':
      return (
        <Notice
          appearance={ALERT}
          title={trans.__('The kernel gave no answer')}
        >
          <p>
            {kernel.message ||
              trans.__('What it sent is not what the package sends.')}
          </p>
          <Bar>
            <button onClick={() => actions.refresh()}>
              {trans.__('Ask again')}
            </button>
          </Bar>
        </Notice>
      );
    case 'ready':
      return kernel.restarted ? (
        <Notice appearance={ALERT} title={trans.__('The kernel restarted')}>
          <p>
            {trans.__(
              'Earlier runs stay listed. What they defined is gone: run its cell again before you use it.'
            )}
          </p>
        </Notice>
      ) : null;
    case 'no-notebook':
      return null;
  }
}

function Bar({ children }: { children: React.ReactNode }): React.JSX.Element {
  return <div className="jp-KernelPanel-bar">{children}</div>;
}
