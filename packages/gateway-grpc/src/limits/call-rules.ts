/** A configured rule for the calls of some methods. */
export interface CallRule {
  /** Path of a method, or a path prefix followed by `*`. */
  readonly pattern: string
  readonly isDenied: boolean
  /** Maximum number of calls per second and credential. */
  readonly callsPerSecond?: number | undefined
  /** Maximum number of open calls per credential. */
  readonly openCalls?: number | undefined
}

const patternForm = /^(?:\/\*|\/[A-Za-z_][\w.]*(?:\*|\/(?:\*|[A-Za-z_]\w*\*?)))$/

/**
 * Parses the rules for methods: `<pattern>=<what>`, separated by spaces. The pattern is a path such as
 * `/geyser.Geyser/Subscribe`, or a path prefix followed by `*`. `<what>` is `deny`, `allow`, or limits separated by
 * commas: `100/s` for calls that may begin within a second, `20` for calls that may be open at a time. A limit applies
 * to each credential separately, and to all methods that match the pattern together.
 *
 * @returns the rules, or a description of the error, which never quotes more than a pattern
 * @example
 * ```ts
 * parseCallRules('/geyser.Geyser/SubscribeDeshred=deny /geyser.Geyser/Get*=100/s /geyser.Geyser/Subscribe=20')
 * ```
 */
export function parseCallRules(text: string): readonly CallRule[] | string {
  const rules = new Map<string, CallRule>()
  for (const [index, item] of text.split(/\s+/).filter(Boolean).entries()) {
    const separator = item.indexOf('=')
    const pattern = item.slice(0, separator)
    if (separator < 0 || !patternForm.test(pattern)) {
      return `rule ${index + 1} must begin with a path such as /geyser.Geyser/Subscribe or /geyser.Geyser/Get* and =`
    }
    const rule = parseRule(pattern, item.slice(separator + 1))
    if (!rule) return `rule ${index + 1} must end with deny, allow, or limits such as 100/s or 20 or 100/s,20`
    if (rules.has(pattern)) return `rule ${index + 1} must not repeat a path`
    rules.set(pattern, rule)
  }
  return [...rules.values()]
}

function parseRule(pattern: string, value: string): CallRule | undefined {
  if (value === 'deny' || value === 'allow') return { pattern, isDenied: value === 'deny' }
  const limits = value.split(',')
  const rates = limits.filter((limit) => /^[1-9]\d{0,8}\/s$/.test(limit))
  const counts = limits.filter((limit) => /^[1-9]\d{0,8}$/.test(limit))
  if (rates.length > 1 || counts.length > 1 || rates.length + counts.length < limits.length) return undefined
  return {
    pattern,
    isDenied: false,
    callsPerSecond: rates[0] === undefined ? undefined : Number(rates[0].slice(0, -'/s'.length)),
    openCalls: counts[0] === undefined ? undefined : Number(counts[0]),
  }
}

/**
 * Creates the function that finds the rule for a path: the rule for exactly this path, otherwise the rule with the
 * longest matching prefix.
 */
export function createRuleFinder(rules: readonly CallRule[]): (path: string) => CallRule | undefined {
  const exact = new Map(
    rules.filter(({ pattern }) => !pattern.endsWith('*')).map((rule) => [rule.pattern, rule]),
  )
  const prefixes = rules
    .filter(({ pattern }) => pattern.endsWith('*'))
    .map((rule) => ({ prefix: rule.pattern.slice(0, -1), rule }))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  return (path) => exact.get(path) ?? prefixes.find(({ prefix }) => path.startsWith(prefix))?.rule
}
