/** Items of one list, in their order. */
export interface ListItems {
  readonly list: string
  readonly items: readonly unknown[]
}

/** The position of the lists in a document. */
export interface ListLocation {
  /** Field names on the path to the object; empty for the document itself. */
  readonly parent: readonly string[]
  /** Names of the fields whose items are read. */
  readonly lists: readonly string[]
  /**
   * Whether other arrays of the object are emptied too, with their items skipped. Otherwise they stay in the document.
   */
  readonly skipOtherLists?: boolean
}

/** Incremental parser of a large JSON document. Each function throws a SyntaxError for invalid JSON. */
export interface JsonLists {
  /** Parses the next chunk of text and returns the items that are complete. */
  write(chunk: string): readonly ListItems[]
  /** The part of the document before the most recent list, with every list empty. */
  partial(): unknown
  /** The complete document, with every list empty. Throws when it is incomplete. */
  end(): unknown
}

// UTF-16 code units.
const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The separator between two items, by the first character of an item. */
const betweenItems: Readonly<Record<string, string>> = { '{': '},{', '[': '],[', '"': '","' }

/**
 * Splits a JSON document at the items of its lists: the arrays that are fields of one object.
 *
 * `JSON.parse` parses all items that a chunk completes in one call. The parser first guesses where the last complete
 * item ends, searching from the back. If the text up to that position is valid JSON between brackets, the guess is
 * correct, because JSON is parsed from the front. Only when the guess fails, the parser scans brackets, commas and
 * strings one by one. So it needs little more time than `JSON.parse` alone, and buffers at most one chunk and one item.
 * The text outside of the lists is buffered and parsed at the end, which proves that the document is complete.
 *
 * @param place - which lists are read, and of which object
 */
export function splitJsonLists({ parent, lists, skipOtherLists }: ListLocation): JsonLists {
  const isRead = (name: string): boolean => lists.includes(name)
  const listDepth = parent.length + 2
  const closers: string[] = []
  /** The most recent string, by depth: before a bracket it is the name of the field. */
  const names: string[] = []
  let outside = ''
  let before = 'null'
  /** The list that contains the position. */
  let list: string | undefined
  let hasItems = false
  let canGuess = false

  let buffer = ''
  let position = 0
  /** Start of the text that is not yet emitted: of an item, or outside of the lists. */
  let start = 0
  /** Start of the string that contains the position; -1 outside of strings. */
  let string = -1
  let depth = 0

  function open(closer: string): void {
    if (list === undefined) {
      closers[depth] = closer
      const name = names[depth] ?? ''
      const isOfParent = depth === listDepth - 1 && parent.every((field, index) => names[index + 1] === field)
      if (isOfParent && closer === ']' && (skipOtherLists || isRead(name))) {
        list = name
        hasItems = false
        canGuess = isRead(name)
        outside += buffer.slice(start, position + 1)
        start = position + 1
        before =
          outside +
          closers
            .slice(0, depth + 1)
            .toReversed()
            .join('')
      }
    }
    depth += 1
  }

  function close(complete: ListItems[]): void {
    depth -= 1
    if (list === undefined || depth >= listDepth) return
    emitItems(complete, position, true)
    list = undefined
    start = position
  }

  /** Emits the items of the list that end at a position. */
  function emitItems(complete: ListItems[], end: number, isLast: boolean): void {
    if (list !== undefined && isRead(list)) {
      const items = JSON.parse(`[${buffer.slice(start, end)}]`) as readonly unknown[]
      if (items.length === 0 && (hasItems || !isLast)) throw new SyntaxError('an item is missing')
      hasItems = true
      complete.push({ list, items })
    }
    start = end + 1
  }

  function guess(complete: ListItems[]): void {
    const separator = betweenItems[buffer.charAt(start)] ?? ''
    const end = separator ? buffer.lastIndexOf(separator) + 1 : 0
    if (end <= start) return
    try {
      emitItems(complete, end, false)
      position = start
      string = -1
      depth = listDepth
    } catch {
      canGuess = false
    }
  }

  function scan(complete: ListItems[]): void {
    const { length } = buffer
    let boundary = start
    let at = position
    while (at < length) {
      if (string >= 0) {
        const end = buffer.indexOf('"', at)
        at = end < 0 ? length : end + 1
        if (end < 0 || isEscaped(buffer, end)) continue
        if (depth < listDepth) names[depth] = JSON.parse(buffer.slice(string, at)) as string
        string = -1
        continue
      }
      const code = buffer.charCodeAt(at)
      if (code === quote) string = at
      else if (code === comma) {
        if (depth === listDepth) boundary = at
      } else if (code >= openBracket) {
        position = at
        if (code === openBrace) open('}')
        else if (code === openBracket) open(']')
        else if (code === closeBrace || code === closeBracket) close(complete)
      }
      at += 1
    }
    position = at
    if (list === undefined) {
      const end = string < 0 ? at : string
      outside += buffer.slice(start, end)
      start = end
    } else if (boundary > start) emitItems(complete, boundary, false)
  }

  return {
    write(chunk) {
      buffer = buffer.slice(start) + chunk
      position -= start
      string -= string < 0 ? 0 : start
      start = 0
      const complete: ListItems[] = []
      if (list !== undefined && canGuess) guess(complete)
      scan(complete)
      return complete
    },
    partial: () => JSON.parse(before) as unknown,
    end: () => JSON.parse(outside + buffer.slice(start)) as unknown,
  }
}

function isEscaped(text: string, position: number): boolean {
  let first = position
  while (text.charCodeAt(first - 1) === backslash) first -= 1
  return (position - first) % 2 === 1
}
