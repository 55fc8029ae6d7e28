export { GET, OPTIONS, POST } from '@culprit/node/next';
