import { unsupportedError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';

export const run: Run = () => {
  throw unsupportedError(
    'Servers do not read source maps yet.',
    'ship maps beside the code, or read minified stacks by hand',
  );
};
