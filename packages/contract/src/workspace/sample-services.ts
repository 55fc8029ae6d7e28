/** The services of sample data. Their names keep them apart from the services of the project. */
export const SAMPLE_SERVICE_NAMES = ['sample-shop-api', 'sample-shop-web'] as const;
