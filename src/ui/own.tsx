import * as React from 'react';

interface IOwnProps {
  tag: 'kernelgate-bar' | 'kernelgate-panel' | 'kernelgate-difference';
  children: React.ReactNode;
}

/**
 * An element of our own, below which our styles hold. Lab takes it out of a
 * stranger's Markdown and HTML, which may wear any class.
 */
export function Own({ tag, children }: IOwnProps): React.JSX.Element {
  return React.createElement(tag, null, children);
}
