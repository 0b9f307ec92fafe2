import * as React from 'react';
import type { IPicture } from '../../model/types';
import { Chart } from '../../ui/charts/chart';
import { Explore } from '../../ui/charts/explore';

interface IPlotProps {
  picture: IPicture;
  height: number;
  children: React.ReactNode;
}

/** A picture below its title, with its values by the arrow keys. */
export function Plot(props: IPlotProps): React.JSX.Element {
  const { title, hint, note, values } = props.picture;
  return (
    <figure className="jp-KernelReport-plot">
      <figcaption>
        {title} <small>{hint}</small>
      </figcaption>
      <Explore label={title} values={values}>
        <Chart
          height={props.height}
          title={title}
          desc={note || values.join('. ')}
        >
          {props.children}
        </Chart>
      </Explore>
      {note && <p className="jp-KernelReport-note">{note}</p>}
    </figure>
  );
}
