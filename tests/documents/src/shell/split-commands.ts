/** One shell command with its words, as far as they are known without running anything. */
export type Command = readonly string[]

const separators = /^(?:&&|\|\||[|;&\n])/

/**
 * Splits a script into its commands, including those in `$(...)`. Quotes are removed. `$name` stays unchanged. Supports
 * the shell syntax that the pages use, and rejects the rest.
 *
 * @throws Error for an unterminated quote
 */
export function splitCommands(script: string): readonly Command[] {
  const found: Command[] = []
  const rest = readCommands(script.replaceAll(/\\\n/g, ' '), found, '')
  if (rest !== '') throw new Error(`the script continues after its end: ${rest}`)
  return found
}

/** Reads commands up to a closing text, and returns the text after it. */
function readCommands(script: string, found: Command[], closing: string): string {
  let at = script
  let words: string[] = []
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    const command = withoutRedirections(words)
    if (command.length > 0) found.push(command)
    words = []
  }
  while (at !== '') {
    if (closing !== '' && at.startsWith(closing)) {
      endCommand()
      return at.slice(closing.length)
    }
    const separator = separators.exec(at)?.[0]
    const comment = word === undefined ? /^#[^\n]*/.exec(at)?.[0] : undefined
    if (separator !== undefined) {
      endCommand()
      at = at.slice(separator.length)
    } else if (comment !== undefined) at = at.slice(comment.length)
    else if (/^\s/.test(at)) {
      endWord()
      at = at.slice(1)
    } else if (at.startsWith("'")) {
      const end = at.indexOf("'", 1)
      if (end < 0) throw new Error(`a quote does not end: ${at}`)
      word = (word ?? '') + at.slice(1, end)
      at = at.slice(end + 1)
    } else if (at.startsWith('"')) {
      const [text, behind] = readQuoted(at.slice(1), found)
      word = (word ?? '') + text
      at = behind
    } else if (at.startsWith('$(')) {
      at = readCommands(at.slice(2), found, ')')
      word = `${word ?? ''}$(…)`
    } else {
      word = (word ?? '') + (at[0] ?? '')
      at = at.slice(1)
    }
  }
  endCommand()
  return ''
}

function readQuoted(script: string, found: Command[]): readonly [text: string, behind: string] {
  let text = ''
  let at = script
  while (!at.startsWith('"')) {
    if (at === '') throw new Error('a quote does not end')
    if (at.startsWith('$(')) {
      at = readCommands(at.slice(2), found, ')')
      text += '$(…)'
    } else if (at.startsWith('\\')) {
      text += at[1] ?? ''
      at = at.slice(2)
    } else {
      text += at[0] ?? ''
      at = at.slice(1)
    }
  }
  return [text, at.slice(1)]
}

function withoutRedirections(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, index) => !/^\d*[<>]/.test(word) && !/^\d*[<>]{1,2}$/.test(words[index - 1] ?? ''),
  )
}
