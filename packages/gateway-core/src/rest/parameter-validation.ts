import type { JsonSchema, Parameter } from '@fairlead/core'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

/** The schemas of a contract. */
export interface ContractSchemas {
  readonly document: string
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** The format of a string or a number, and its name in a sentence. */
export type ValueFormat = { readonly label: string } & (
  | { readonly type: 'string'; readonly validate: (text: string) => boolean }
  | { readonly type: 'number'; readonly validate: (value: number) => boolean }
)

/** The rules that differ between APIs. */
export interface RuleOptions {
  /** The verb before a rule in messages. */
  readonly verb: 'must' | 'should'
  /** Validators for the `format` keyword of schemas; other formats are not validated. */
  readonly formats?: Readonly<Record<string, ValueFormat>>
}

/** The parsed value, undefined for an omitted optional value, or the rule that the value violates. */
export type Reading = { readonly value: unknown } | BrokenRule

/** A rule of the contract that a value violates; it never contains the value. */
export interface BrokenRule {
  /** The text after the name of the value, for example `must be one of asc, desc`. */
  readonly rule: string
  /** The path within the value, for example `.stack[0]`; empty for the value itself. */
  readonly path: string
  /** Whether the rule is the maximum number of items in a list. */
  readonly isTooLong: boolean
}

/** Validates request parameters by the schemas of a contract. */
export class ContractRules {
  readonly #schemas: ContractSchemas['schemas']
  readonly #options: RuleOptions
  readonly #ajv: Ajv2020
  readonly #validators = new Map<JsonSchema, ValidateFunction>()
  readonly #resolved = new Map<JsonSchema, JsonSchema>()

  constructor({ document, schemas }: ContractSchemas, options: RuleOptions) {
    this.#schemas = schemas
    this.#options = options
    this.#ajv = new Ajv2020({
      strict: false,
      validateSchema: false,
      verbose: true,
      logger: false,
      formats: options.formats ?? {},
    })
    this.#ajv.addSchema({ $id: document, components: { schemas } })
  }

  /** Parses a parameter from the texts of a path, a query or a header, which may occur any number of times. */
  ofTexts({ schema, required }: Parameter, texts: readonly string[]): Reading {
    if (texts.length === 0) return this.#missing(schema, required)
    const isList = this.isList(schema)
    if (!isList && texts.length > 1) return this.#broken(`${this.#options.verb} be given once`)
    return this.#checked(schema, isList ? texts : typedValue(this.#typeOf(schema), texts[0] ?? ''))
  }

  /** Parses a parameter that was sent as JSON. */
  ofJson({ schema, required }: Parameter, value: unknown): Reading {
    return value === undefined ? this.#missing(schema, required) : this.#checked(schema, value)
  }

  isList(schema: JsonSchema): boolean {
    return this.#typeOf(schema) === 'array'
  }

  /** Returns a schema with its reference resolved. */
  resolved(schema: JsonSchema): JsonSchema {
    const { $ref: reference, ...overrides } = schema
    if (typeof reference !== 'string') return schema
    const cached = this.#resolved.get(schema)
    if (cached) return cached
    const target = this.#schemas[reference.split('/').at(-1) ?? '']
    const resolved = target ? { ...this.resolved(target), ...overrides } : schema
    this.#resolved.set(schema, resolved)
    return resolved
  }

  #typeOf(schema: JsonSchema): unknown {
    return this.resolved(schema)['type']
  }

  #missing(schema: JsonSchema, required: boolean): Reading {
    return required ? this.#broken('is required') : { value: this.resolved(schema)['default'] }
  }

  #checked(schema: JsonSchema, value: unknown): Reading {
    let validate = this.#validators.get(schema)
    if (!validate) {
      validate = this.#ajv.compile(schema)
      this.#validators.set(schema, validate)
    }
    return validate(value) ? { value } : this.#brokenBy(validate.errors ?? [])
  }

  #broken(rule: string): BrokenRule {
    return { rule, path: '', isTooLong: false }
  }

  // A schema with alternatives produces one error for each alternative, and at the end one error that no other
  // alternative matched.
  #brokenBy(errors: readonly ErrorObject[]): BrokenRule {
    const { instancePath = '', keyword, params } = errors.at(-1) ?? {}
    const path = instancePath.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
    if (keyword === 'required') {
      return { ...this.#broken('is required'), path: `${path}.${String(params?.['missingProperty'])}` }
    }
    const { verb } = this.#options
    const rules = errors
      .filter((error) => error.instancePath === instancePath && !isAlternative(error))
      .map((error) => `${verb} ${this.#ruleOf(error)}`)
    const some = [...new Set(rules)]
    const isReported = some.length > 0 && some.length <= maxRules
    return {
      rule: isReported ? some.join(' or ') : `${verb} match a schema of the API`,
      path: path,
      isTooLong: errors.some((error) => error.keyword === 'maxItems'),
    }
  }

  #ruleOf({ keyword, params, data, parentSchema, message = '' }: ErrorObject): string {
    const format = this.#options.formats?.[String(parentSchema?.['format'])]
    // The words of a format are clearer than the pattern of the same schema.
    if (format && (keyword === 'pattern' || keyword === 'format')) return `be ${format.label}`
    switch (keyword) {
      case 'type':
        return `be ${[params['type'] as string | string[]].flat().map(withArticle).join(' or ')}, not ${kindOf(data)}`
      case 'enum':
        return `be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}`
      case 'pattern':
        return `match ${String(params['pattern'])}`
      case 'const':
        return `be ${JSON.stringify(params['allowedValue'])}`
      case 'minimum':
        return `be at least ${String(params['limit'])}`
      case 'maximum':
        return `be at most ${String(params['limit'])}`
      case 'uniqueItems':
        return 'not contain duplicate values'
      case 'additionalProperties':
        return 'contain only properties that the API defines'
      default:
        return message.replace(/^must /, '')
    }
  }
}

// A longer list is not useful in a message.
const maxRules = 4

function isAlternative({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf'
}

/** Values in a path, a query or a header are text; numbers and booleans have to be parsed. */
function typedValue(type: unknown, text: string): unknown {
  switch (type) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    default:
      return text
  }
}

function withArticle(type: string): string {
  if (type === 'null') return type
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return withArticle(Array.isArray(value) ? 'array' : typeof value)
}
