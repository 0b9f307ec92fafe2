/**
 * The state of the kernel where it is more than a device: what is wrong or
 * awaited, and the one next step.
 */

import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IAppearance } from '../../ui/appearance';
import { KernelState } from '../../tokens';
import { ISectionProps } from '../props';
import { Notice } from './notice';

const ALERT: IAppearance = { tone: 'warn', shape: 'alert' };
const CLOCK: IAppearance = { tone: 'none', shape: 'clock' };
const NOTHING: IAppearance = { tone: 'none', shape: 'minus' };

type StateOf<Kind extends KernelState['kind']> = Extract<
  KernelState,
  { kind: Kind }
>;

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
  if (!notice) {
    return null;
  }
  const { text, buttons = [], ...heading } = notice;
  return (
    <div className="jp-KernelPanel-body" role="status">
      <Notice {...heading}>
        {text !== undefined && <p>{text}</p>}
        {buttons.length > 0 && (
          <div className="jp-KernelPanel-bar">
            {buttons.map(({ label, press, isPrimary }) => (
              <button
                key={label}
                className={isPrimary ? 'jp-mod-primary' : undefined}
                onClick={press}
              >
                {label}
              </button>
            ))}
          </div>
        )}
      </Notice>
    </div>
  );
}

function NoNotebook({ actions, trans }: ISectionProps): React.JSX.Element {
  return (
    <div className="jp-KernelPanel-start">
      <b>{trans.__('Open a notebook to start')}</b>
      <p>
        {trans.__(
          'The panel shows what a cell is checked against, the runs of the notebook in front, and the kernels you can insert.'
        )}
      </p>
      <button onClick={() => actions.newNotebook()}>
        {trans.__('New notebook with a CUDA kernel')}
      </button>
      <button onClick={() => actions.paste()}>
        {trans.__('Paste and verify')}
      </button>
    </div>
  );
}

/** A state in words, and what can be done about it. */
interface INotice {
  appearance: IAppearance;
  title: string;
  /** What it means. */
  text?: string;
  buttons?: { label: string; press: () => void; isPrimary: boolean }[];
}

function noticeOf(props: IKernelNoticeProps): INotice | null {
  const { kernel, trans } = props;
  switch (kernel.kind) {
    case 'starting':
    case 'unasked':
    case 'asking':
    case 'waiting':
      return awaited(kernel.kind, trans);
    case 'missing':
    case 'mismatch':
    case 'failed':
    case 'answered-elsewhere':
      return packageNotice(kernel, props);
    case 'ready':
      return kernel.restarted
        ? {
            appearance: ALERT,
            title: trans.__('The kernel restarted'),
            text: trans.__(
              'Earlier runs stay listed. What they defined is gone: run its cell again before you use it.'
            )
          }
        : null;
    case 'no-notebook':
      return null;
    default:
      return unusable(kernel, props);
  }
}

/** Something that ends by itself. */
function awaited(
  kind: 'starting' | 'unasked' | 'asking' | 'waiting',
  trans: TranslationBundle
): INotice {
  switch (kind) {
    case 'starting':
      return {
        appearance: CLOCK,
        title: trans.__('The kernel is starting'),
        text: trans.__('The device is read when it is ready.')
      };
    case 'unasked':
    case 'asking':
      return { appearance: CLOCK, title: trans.__('Reading the device') };
    case 'waiting':
      return {
        appearance: CLOCK,
        title: trans.__('Waiting for the running cell'),
        text: trans.__(
          'The kernel is busy; the device is read when it is free. Nothing else is queued.'
        )
      };
  }
}

/** A kernel that cannot be asked. */
function unusable(
  kernel: StateOf<'no-kernel' | 'unreachable' | 'other-language' | 'dead'>,
  { actions, trans }: ISectionProps
): INotice {
  switch (kernel.kind) {
    case 'no-kernel':
      return {
        appearance: NOTHING,
        title: trans.__('This notebook has no kernel'),
        text: trans.__('Choose one to see its device and to run checks.'),
        buttons: [
          {
            label: trans.__('Choose kernel'),
            press: () => actions.chooseKernel(),
            isPrimary: true
          }
        ]
      };
    case 'unreachable':
      return {
        appearance: ALERT,
        title: trans.__('The kernel’s server does not answer'),
        text: trans.__(
          'What runs there may go on unheard. It is asked again every two seconds; nothing needs to be done here.'
        )
      };
    case 'other-language':
      return {
        appearance: NOTHING,
        title: trans.__('This kernel runs %1', kernel.language),
        text: trans.__(
          'Programs are Python and CUDA, and are checked in a Python kernel. Nothing was sent to this one.'
        ),
        buttons: [
          {
            label: trans.__('Choose another kernel'),
            press: () => actions.chooseKernel(),
            isPrimary: true
          }
        ]
      };
    case 'dead':
      return {
        appearance: ALERT,
        title: trans.__('The kernel died'),
        text: trans.__('Runs that had finished stay listed.'),
        buttons: [
          {
            label: trans.__('Restart kernel'),
            press: () => actions.restartKernel(),
            isPrimary: true
          }
        ]
      };
  }
}

/** A kernel whose package is not there, or not understood. */
function packageNotice(
  kernel: StateOf<'missing' | 'mismatch' | 'failed' | 'answered-elsewhere'>,
  { kernelName, actions, trans }: IKernelNoticeProps
): INotice {
  switch (kernel.kind) {
    case 'missing':
      return {
        appearance: ALERT,
        title: trans.__('The kernelgate package is missing in this kernel'),
        text: trans.__(
          'Kernel: %1. The panel needs it to read the device and to run checks. The install cell has this page send it; run that cell, then refresh.',
          kernelName
        ),
        buttons: [
          {
            label: trans.__('Insert install cell'),
            press: () => actions.insertInstallCell(),
            isPrimary: true
          }
        ]
      };
    case 'mismatch':
      return mismatchNotice(kernel, trans);
    case 'answered-elsewhere':
      return {
        appearance: ALERT,
        title: trans.__('The kernel’s answer went to another page'),
        text: trans.__(
          'Its server answers only the page that was opened last, so that the device is not known here. Verify works all the same.'
        ),
        buttons: [
          {
            label: trans.__('Ask again'),
            press: () => actions.refresh(),
            isPrimary: false
          }
        ]
      };
    case 'failed':
      return {
        appearance: ALERT,
        title: trans.__('The kernel gave no answer'),
        text:
          kernel.message ||
          trans.__('What it sent is not what the package sends.'),
        buttons: [
          {
            label: trans.__('Ask again'),
            press: () => actions.refresh(),
            isPrimary: false
          }
        ]
      };
  }
}

function mismatchNotice(
  { version, outdated }: StateOf<'mismatch'>,
  trans: TranslationBundle
): INotice {
  const isPackage = outdated === 'package';
  return {
    appearance: ALERT,
    title: isPackage
      ? trans.__('The kernelgate package in this kernel is too old')
      : trans.__('This extension is too old for the kernel’s package'),
    text: [
      version !== null ? trans.__('The package is version %1.', version) : '',
      isPackage
        ? trans.__(
            'Install the version that JupyterLab has where the kernel runs, and restart the kernel.'
          )
        : trans.__(
            'Upgrade kernelgate where JupyterLab runs, and reload the page.'
          )
    ].join(' ')
  };
}
