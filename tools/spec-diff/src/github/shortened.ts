// GitHub accepts at most 65,536 characters.
const longest = 60_000

/**
 * Shortens a text to the length that GitHub accepts. It is cut after a whole line, because a table that ends within a
 * row would swallow the following text.
 *
 * @param ending - sentence that links to the full text
 */
export function shortened(text: string, ending: string): string {
  if (text.length <= longest) return text
  return `${text.slice(0, text.lastIndexOf('\n', longest))}\n\n${ending}\n`
}
