/** npm run generate: writes every generated document, those of the service and the reference of the command line. */
import '../packages/server/src/generate/main.ts';
import './cli/reference.ts';
