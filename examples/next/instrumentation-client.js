import { init } from '@culprit/browser';

init({ service: 'example-next-page' });
