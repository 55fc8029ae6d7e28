/** The services of sample data. Their names keep them apart from the services of the project. */
export const SAMPLE_SERVICE_NAMES = ['sample-shop-api', 'sample-shop-web'] as const;

/** Returns true if a service has the name of one of sample data. */
export function isSampleService(name: string): boolean {
  return SAMPLE_SERVICE_NAMES.some((each) => each === name);
}
