/** The names in a Prometheus expression. */
export interface ReadExpression {
  readonly selectors: readonly Selector[]
  /** Labels by which the expression groups or matches. */
  readonly grouping: ReadonlySet<string>
  /** Labels that the expression creates. */
  readonly made: ReadonlySet<string>
}

/** A metric and the labels by which it is selected. */
interface Selector {
  readonly metric: string
  readonly labels: readonly string[]
}

const token = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[A-Za-z_:][\w:]*|\d[\w.]*|=~|!~|!=|==|>=|<=|[-+*/%^(){},<>=]/y
const name = /^[A-Za-z_:]/
const groupers = ['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']
const operators = ['and', 'or', 'unless', 'bool', 'offset']

/**
 * Reads the names in a PromQL expression.
 *
 * @throws for a character that no expression contains
 */
export function readExpression(text: string): ReadExpression {
  const tokens = tokensOf(text)
  const selectors: Selector[] = []
  const grouping = new Set<string>()
  const made = new Set<string>()
  for (let at = 0; at < tokens.length; at += 1) {
    const currentToken = tokens[at] ?? ''
    if (!name.test(currentToken) || operators.includes(currentToken)) continue
    const next = tokens[at + 1]
    if (groupers.includes(currentToken)) {
      const list = inside(tokens, at + 1, ')')
      for (const label of list) if (name.test(label)) grouping.add(label)
      at += list.length + 2
    } else if (next === '(') {
      if (currentToken === 'label_replace') made.add(madeLabel(tokens, at + 1))
    } else if (next === '{') {
      const list = inside(tokens, at + 1, '}')
      selectors.push({ metric: currentToken, labels: list.filter((label) => name.test(label)) })
      at += list.length + 2
    } else if (!groupers.includes(next ?? '')) selectors.push({ metric: currentToken, labels: [] })
  }
  return { selectors, grouping, made }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1
      continue
    }
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    if (found === undefined) throw new Error(`No expression has what stands at ${at} of: ${text}`)
    tokens.push(found)
    at += found.length
  }
  return tokens
}

/** The tokens between an opening bracket and the next closing one. */
function inside(tokens: readonly string[], start: number, close: string): readonly string[] {
  return tokens.slice(start + 1, tokens.indexOf(close, start))
}

/** The second argument of the function whose bracket opens here. */
function madeLabel(tokens: readonly string[], start: number): string {
  const text = tokens
    .slice(start)
    .find((candidate) => candidate.startsWith('"') && tokens[tokens.indexOf(candidate, start) - 1] === ',')
  return (text ?? '').slice(1, -1)
}
