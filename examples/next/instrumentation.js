import { init } from '@culprit/node';

export { onRequestError } from '@culprit/node/next';

export function register() {
  init({ service: 'example-next' });
}
