/** The MIME type of a report; its JSON follows report.schema.json. */
export const REPORT_MIME = 'application/vnd.kernelgate.report+json';

/** That of the text which a person copies for a model, beside the report of a run that has ended. */
export const MODEL_MIME = 'application/vnd.kernelgate.model';

/** The report version that this extension draws. */
export const REPORT_VERSION = 1;
