/** The charts that are no column of a table: from the figures of a report. */
import * as React from 'react';
import type { IPicture, IReport } from '../../../model/types';
import { ErrorMap } from './errorMap';
import { Errors } from './errors';
import { Roofline } from './roofline';
import { Curve } from './sizes';
import { Timeline } from './timeline';
import { Values } from './values';

export interface IPictureProps {
  /** What is said of it, and of each of its marks. */
  picture: IPicture;
  report: IReport;
}

export function Picture(props: IPictureProps): React.JSX.Element | null {
  switch (props.picture.of) {
    case 'error map':
      return <ErrorMap {...props} />;
    case 'errors':
      return <Errors {...props} />;
    case 'values':
      return <Values {...props} />;
    case 'roofline':
      return <Roofline {...props} />;
    case 'sizes':
      return <Curve {...props} />;
    case 'timeline':
      return <Timeline {...props} />;
    default:
      return null;
  }
}
