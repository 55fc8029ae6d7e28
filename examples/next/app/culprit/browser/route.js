export { GET, OPTIONS, POST } from '@culprit/node/next';
export const runtime = 'nodejs';
