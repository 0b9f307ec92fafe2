import { LabIcon } from '@jupyterlab/ui-components';

import operatorSvg from '../../style/icons/operator.svg';

/** A chip with a tick: an operator that was checked. */
export const operatorIcon = new LabIcon({
  name: 'jupyterlab-kernelgate:operator',
  svgstr: operatorSvg
});
