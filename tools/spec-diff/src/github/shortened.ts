// GitHub takes no text that is longer than 65,536 characters.
const longest = 60_000

/**
 * A text that GitHub takes: one that is too long ends with its last whole line, as a table that ends within a row would
 * swallow what follows.
 *
 * @param ending - the sentence that says where the whole text stands
 */
export function shortened(text: string, ending: string): string {
  if (text.length <= longest) return text
  return `${text.slice(0, text.lastIndexOf('\n', longest))}\n\n${ending}\n`
}
