import type { ForeignAnswer } from './foreign-answer.ts';
import type { ForeignRequest } from './foreign-intake.ts';
import type { ForeignRefusal } from './foreign-refusal.ts';

/** The requests that one address of foreign clients accepts, and the form of its refusals. */
export type ForeignRoute = [
  path: string,
  accept: (request: ForeignRequest, params: Readonly<Record<string, string>>) => Promise<ForeignAnswer>,
  options?: {
    methods?: readonly string[];
    refuse?: Refuse;
    /** Another endpoint has the other methods of the path, which are answered 405 elsewhere. */
    sharesPath?: boolean;
  },
];

/** A refusal in the form of the protocol, which may be that of the request. */
export type Refuse = (refusal: ForeignRefusal, contentType: string | undefined) => ForeignAnswer;
