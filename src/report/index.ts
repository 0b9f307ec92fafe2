/** The report in TypeScript: its types, its validation and its way through the page. */
export * from './compare';
export * from './failingcase';
export * from './fix';
export * from './format';
export * from './hub';
export * from './mimetype';
export * from './sha256';
export * from './speed';
export type * from './types';
export * from './validate';
