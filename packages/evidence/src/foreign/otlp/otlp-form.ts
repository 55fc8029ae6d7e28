/** The two forms of OTLP over HTTP, by their media types (docs/contract/foreign-protocols.md 8.1). */
export type OtlpForm = 'protobuf' | 'json';

export const OTLP_MEDIA_TYPES: Readonly<Record<OtlpForm, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** The form that a `Content-Type` names, its parameters aside; null for any other. */
export function otlpFormOf(contentType: string | undefined): OtlpForm | null {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === OTLP_MEDIA_TYPES.protobuf) return 'protobuf';
  return mediaType === OTLP_MEDIA_TYPES.json ? 'json' : null;
}

export type OtlpSignal = 'traces' | 'logs';
