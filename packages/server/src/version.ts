/** The running release, as `/health` and the API reference name it. */
export const VERSION = '0.1.0';
