export { relayHandler, relayHandler as relay } from './relay/mounts/http.ts';
