import type { CheckMethod } from '@culprit/contract/availability-checks';

/** What the form of a check holds. */
export interface CheckValues {
  name: string;
  url: string;
  method: CheckMethod;
  statusMin: number;
  statusMax: number;
  timeoutMs: number;
  intervalSeconds: number;
  failureThreshold: number;
  recoveryThreshold: number;
  environment: string;
  service: string;
}
