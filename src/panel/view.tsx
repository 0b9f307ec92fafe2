/**
 * The panel as a function of its state.
 */

import * as React from 'react';

import { Activity } from './activity';
import { CatalogueSection } from './catalogue';
import { DeviceSection } from './device';
import { Header } from './header';
import { IPanelState } from './model';
import { KernelNotice } from './notice';
import { Running } from './running';
import { Runs } from './runs';
import { ISectionProps } from './props';
import { ThisCell } from './thisCell';
import '../../style/ui.css';
import '../../style/panel.css';

interface IPanelProps extends ISectionProps {
  state: IPanelState;
}

export function Panel({
  state,
  actions,
  trans
}: IPanelProps): React.JSX.Element {
  const { kernel, runs } = state;
  const running = runs.find(run => run.isRunning);
  return (
    <>
      <Header name={state.notebookName} actions={actions} trans={trans} />
      {running && (
        <Running
          key={running.id}
          run={running}
          actions={actions}
          trans={trans}
        />
      )}
      <KernelNotice
        kernel={kernel}
        kernelName={state.kernelName}
        actions={actions}
        trans={trans}
      />
      {kernel.kind !== 'no-notebook' && (
        <>
          <ThisCell {...state} actions={actions} trans={trans} />
          <Runs {...state} actions={actions} trans={trans} />
          <CatalogueSection
            {...state}
            isEmulated={
              kernel.kind === 'ready' &&
              kernel.handshake.device.kind === 'emulated'
            }
            actions={actions}
            trans={trans}
          />
        </>
      )}
      {kernel.kind === 'ready' && (
        <DeviceSection
          handshake={kernel.handshake}
          kernelName={state.kernelName}
          actions={actions}
          trans={trans}
        />
      )}
      <Activity requests={state.requests} trans={trans} />
    </>
  );
}
