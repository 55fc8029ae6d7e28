// Proves 48.
import { describeFuzz } from './every-operation.ts';

describeFuzz(800);
