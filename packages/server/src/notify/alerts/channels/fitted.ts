const TEXT_CHARACTERS_MAX = 2048;
const TEXT_CHARACTERS_MIN = 16;

/**
 * Returns a message that its receiver takes: made again with shorter texts of the event until it fits.
 * @param make makes it from texts of so many characters at most
 */
export function fitted<Message>(
  make: (charactersMax: number) => Message,
  fits: (message: Message) => boolean,
): Message {
  let charactersMax = TEXT_CHARACTERS_MAX;
  let message = make(charactersMax);
  while (!fits(message) && charactersMax > TEXT_CHARACTERS_MIN) {
    charactersMax = Math.floor(charactersMax * SHORTER);
    message = make(charactersMax);
  }
  return message;
}

const SHORTER = 0.7;
