import type { RpcMethod } from './openrpc-types.ts'

/** One way to call a method: TypeScript of its parameters in order, and of the corresponding result. */
export interface Form {
  readonly params: readonly string[]
  readonly result: string
}

/** Returns the form that accepts all parameters of the method. */
export function generalForm(method: RpcMethod): Form {
  return { params: method.params.map((param) => parameter(param)), result: typeText(method.result.schema) }
}

/**
 * Returns the forms of a method whose result depends on a parameter value.
 *
 * No call matches two of them: a less specific form excludes the conditions of the more specific ones.
 */
export function overloadForms(method: RpcMethod): readonly Form[] {
  const overloads = method['x-overloads'] ?? []
  return overloads.map(({ when, result }) => {
    const conditions: Record<string, unknown> = structuredClone(when)
    for (const overload of overloads)
      if (refines(overload.when, when)) exclude(conditions, when, overload.when)
    const known = Object.keys(when)
    const last = method.params.findLastIndex(({ name }) => known.includes(name))
    return {
      // Parameters before a required parameter cannot be omitted.
      params: method.params.map((param, position) =>
        parameter(position <= last ? { ...param, required: true } : param, conditions[param.name]),
      ),
      result: typeText(result),
    }
  })
}

/** A key that is omitted or, for a boolean, has the opposite value. */
class Excluded {
  readonly type: string

  constructor(value: unknown) {
    this.type = typeof value === 'boolean' ? String(!value) : 'undefined'
  }
}

function refines(special: unknown, general: unknown): boolean {
  if (special === general || !isObject(special) || !isObject(general)) return false
  return Object.keys(general).every(
    (key) => key in special && (special[key] === general[key] || refines(special[key], general[key])),
  )
}

function exclude(
  conditions: Record<string, unknown>,
  general: Record<string, unknown>,
  special: Record<string, unknown>,
): void {
  for (const [key, value] of Object.entries(special)) {
    if (isObject(value)) {
      const inner = (conditions[key] ??= {}) as Record<string, unknown>
      exclude(inner, (general[key] ?? {}) as Record<string, unknown>, value)
    } else if (!(key in general)) {
      conditions[key] = new Excluded(value)
    }
  }
}

function parameter({ name, required, schema }: RpcMethod['params'][number], condition?: unknown): string {
  const type = typeText(schema)
  const mark = required ? '' : '?'
  if (condition === undefined) return `${name}${mark}: ${type}`
  if (!isObject(condition)) return `${name}${mark}: ${JSON.stringify(condition)}`
  return `${name}${mark}: ${type} & ${objectText(condition)}`
}

function objectText(conditions: Record<string, unknown>): string {
  const members = Object.entries(conditions).map(([key, value]) => {
    if (value instanceof Excluded) return `${key}?: ${value.type}`
    if (!isObject(value)) return `${key}: ${JSON.stringify(value)}`
    return `${key}${isOptional(value) ? '?' : ''}: ${objectText(value)}`
  })
  return `{ ${members.join('; ')} }`
}

function isOptional(conditions: Record<string, unknown>): boolean {
  return Object.values(conditions).every(
    (value) => value instanceof Excluded || (isObject(value) && isOptional(value)),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Returns the TypeScript that an earlier step generated for a schema. */
export function typeText(schema: Record<string, unknown>): string {
  return schema['x-type'] as string
}

/** Returns the names of the schemas that TypeScript types reference. */
export function namesIn(types: readonly string[]): readonly string[] {
  // A string literal may look like a name.
  const names = types.flatMap((type) => type.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/\b[A-Z]\w*/g) ?? [])
  return [...new Set(names)].filter((name) => name !== 'Record').toSorted()
}

/** Returns the doc comment of a method, which editors show on hover. */
export function documentation(
  { summary, description, deprecated, params, result }: RpcMethod,
  indent: string,
): string {
  const prose = [summary, description].filter((text) => text !== undefined).map((text) => text.trim())
  const tags = [
    ...params.map((param) => `@param ${param.name}${suffix(' - ', param.description)}`),
    ...(result.description === undefined ? [] : [`@returns${suffix(' ', result.description)}`]),
    ...(deprecated ? ['@deprecated'] : []),
  ]
  const lines = [...prose.join('\n\n').split('\n'), ...(tags.length > 0 ? [''] : []), ...tags]
  const body = lines.map((line) => `${indent} * ${line.replaceAll('*/', '*\\/')}`.trimEnd())
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`
}

function suffix(separator: string, text: string | undefined): string {
  return text === undefined ? '' : separator + text.replaceAll(/\s+/g, ' ').trim()
}
