import { redact } from '@fairlead/core'

// Many words contain a shorter secret.
const minSubstringLength = 8
// The end of an escape of a URL or of JSON is no part of a word.
const endsOutsideWord = /(?:^|%[\da-f]{2}|\\[bfnrt]|[^\p{L}\p{N}_-])$/iu
const beginsOutsideWord = /^(?:$|[^\p{L}\p{N}_-])/u

/**
 * Replaces every secret in a text by `***`, including its percent-encoded form. A secret of fewer than 8 characters is
 * replaced only where it is a whole word: letters, digits, `_` and `-` around it make it part of a longer one.
 *
 * @param text - text of an upstream
 * @param secrets - parts of the upstream's URL, in plain text; empty ones are skipped
 */
export function redactPlain(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    if (secret.length >= minSubstringLength) text = redact(text, [secret])
    else if (secret) for (const form of [secret, encodeURIComponent(secret)]) text = withoutWord(text, form)
  }
  return text
}

function withoutWord(text: string, word: string): string {
  return text.replaceAll(word, (found, at: number, all: string) => {
    const end = at + word.length
    const begins = beginsOutsideWord.test(word) || endsOutsideWord.test(all.slice(Math.max(0, at - 3), at))
    const ends = endsOutsideWord.test(word) || beginsOutsideWord.test(all.slice(end, end + 1))
    return begins && ends ? '***' : found
  })
}
