import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { formatNumber } from '../../ui/format';
import { IDevice, IHandshake } from '../../tokens';
import { Notice } from '../notice/notice';
import { Accordion } from '../section';
import { ISectionProps } from '../props';

interface IDeviceProps extends ISectionProps {
  handshake: IHandshake;
  kernelName: string;
}

/** Where programs run on this kernel, and with what they are built. */
export function DeviceSection({
  handshake,
  kernelName,
  actions,
  trans
}: IDeviceProps): React.JSX.Element {
  const { device } = handshake;
  const toolchain = [
    handshake.nvcc === null ? null : trans.__('nvcc %1', handshake.nvcc),
    handshake.compiler
  ].filter(tool => tool !== null);
  return (
    <Accordion title={trans.__('Device')}>
      {handshake.isBehindGateway && (
        <span
          className="jp-KernelPanel-chip"
          title={trans.__(
            'A gateway has started this kernel, perhaps on another machine'
          )}
        >
          {trans.__('remote: gateway')}
        </span>
      )}
      {device.kind === 'cuda' && handshake.torch !== null ? (
        <b className="jp-KernelPanel-device">{device.name}</b>
      ) : (
        <NoGpu
          device={device}
          hasTorch={handshake.torch !== null}
          trans={trans}
        />
      )}
      <dl className="jp-KernelPanel-facts">
        <Memory device={device} trans={trans} />
        {device.driver !== null && (
          <Fact name={trans.__('Driver')}>{device.driver}</Fact>
        )}
        <Fact name={trans.__('Kernel')}>
          {trans.__('%1, Python %2', kernelName, handshake.python)}
        </Fact>
        <Fact name={trans.__('torch')}>
          {handshake.torch ?? trans.__('not installed')}
        </Fact>
        <Fact name={trans.__('Toolchain')}>
          {toolchain.join(', ') || trans.__('no compiler found')}
        </Fact>
      </dl>
      {(device.kind !== 'cuda' || handshake.torch === null) && (
        <div className="jp-KernelPanel-bar">
          <button onClick={() => actions.chooseKernel()}>
            {trans.__('Choose another kernel')}
          </button>
        </div>
      )}
    </Accordion>
  );
}

interface IDevicePartProps {
  device: IDevice;
  trans: TranslationBundle;
}

function NoGpu({
  device,
  hasTorch,
  trans
}: IDevicePartProps & { hasTorch: boolean }): React.JSX.Element {
  return device.kind === 'emulated' && hasTorch ? (
    <Notice
      appearance={{ tone: 'info', shape: 'half' }}
      title={trans.__('No GPU in this kernel')}
    >
      <p>
        {trans.__(
          'Kernels are checked in emulation on the CPU: correctness only, timing is not measured.'
        )}
      </p>
    </Notice>
  ) : (
    <Notice
      appearance={{ tone: 'warn', shape: 'alert' }}
      title={trans.__('Nothing can be checked in this kernel')}
    >
      <p>
        {hasTorch
          ? (device.why ??
            trans.__('There is no GPU and no compiler to emulate.'))
          : trans.__(
              'PyTorch is not installed in it. Install it with “%pip install torch” in a cell, and restart the kernel.'
            )}
      </p>
    </Notice>
  );
}

function Memory({ device, trans }: IDevicePartProps): React.JSX.Element | null {
  const { memoryTotalBytes: total, memoryUsedBytes: used } = device;
  if (total === null) {
    return null;
  }
  if (used === null || used > total) {
    return (
      <Fact name={trans.__('Memory')}>
        {trans.__('%1 GB', gigabytes(total))}
      </Fact>
    );
  }
  return (
    <Fact name={trans.__('Memory')}>
      {trans.__('%1 of %2 GB in use', gigabytes(used), gigabytes(total))}
      <meter
        min={0}
        max={total}
        value={used}
        aria-label={trans.__('Device memory in use')}
      />
    </Fact>
  );
}

interface IFactProps {
  name: string;
  children: React.ReactNode;
}

function Fact({ name, children }: IFactProps): React.JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function gigabytes(bytes: number): string {
  return formatNumber(bytes / 1e9);
}
