import { init } from './api.ts';

/** `node --import @culprit/node/register` starts capture from the environment, without a line of code. */
init();
