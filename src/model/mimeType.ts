/** The MIME type of a report; its JSON follows report.schema.json. */
export const REPORT_MIME = 'application/vnd.kernelgate.report+json';

/** The report version that this extension draws. */
export const REPORT_VERSION = 1;
