import { useId, useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { Markdown } from '../prose/markdown.tsx'
import { describeSchema, type Rule, type SchemaDescription, type SchemaPart } from './describe-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { useSchemas } from './schemas-context.ts'

/** The schema of a value as a tree that the user can expand. */
export function SchemaTree({ schema }: { readonly schema: JsonSchema }) {
  const description = describeSchema(schema, useSchemas())
  return (
    <div class="schema">
      <div class="schema-head">
        <TypeText {...description} />
      </div>
      <SchemaText {...description} />
      <Parts parts={description.parts} />
    </div>
  )
}

/** A list of named values: parameters, headers or fields. */
export function SchemaList({ parts }: { readonly parts: readonly NamedSchema[] }) {
  return (
    <ul class="schema-parts">
      {parts.map((part) => (
        <NamedValue key={part.name} {...part} />
      ))}
    </ul>
  )
}

/** A schema with a name. */
export interface NamedSchema {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
  readonly isDeprecated?: boolean
  /** Replaces the description of the schema. */
  readonly description?: string
}

function NamedValue({ name, schema, isRequired, isDeprecated = false, description = '' }: NamedSchema) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const described = describeSchema(schema, useSchemas())
  return (
    <li class="schema-part">
      <div class="schema-head">
        <code class="schema-name">{name}</code>
        <TypeText {...described} />
        {isRequired && <Badge tone="accent">required</Badge>}
        {(isDeprecated || described.isDeprecated) && <Badge tone="warn">deprecated</Badge>}
      </div>
      <SchemaText {...described} description={description || described.description} />
      {described.parts.length > 0 && (
        <button
          type="button"
          class="schema-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`${countText(described.parts)} of ${name}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {countText(described.parts)}
        </button>
      )}
      <div id={id} hidden={!isOpen}>
        {isOpen && <Parts parts={described.parts} />}
      </div>
    </li>
  )
}

function Parts({ parts }: { readonly parts: readonly SchemaPart[] }) {
  if (parts.length === 0) return null
  return (
    <>
      {parts[0]?.kind === 'alternative' && <p class="schema-note">One of:</p>}
      <SchemaList parts={parts} />
    </>
  )
}

function countText(parts: readonly SchemaPart[]): string {
  const isChoice = parts[0]?.kind === 'alternative'
  const unit = isChoice ? 'alternative' : 'field'
  return `${parts.length} ${unit}${parts.length === 1 ? '' : 's'}`
}

function TypeText({ type, name }: SchemaDescription) {
  return (
    <span class="schema-type">
      {type}
      {name !== undefined && <span class="muted"> {name}</span>}
    </span>
  )
}

function SchemaText({ description, rules }: Pick<SchemaDescription, 'description' | 'rules'>) {
  return (
    <>
      <Markdown text={description} />
      {rules.length > 0 && (
        <ul class="schema-rules">
          {rules.map((rule) => (
            <RuleText key={rule.label} {...rule} />
          ))}
        </ul>
      )}
    </>
  )
}

function RuleText({ label, values }: Rule) {
  return (
    <li>
      {label}
      {values.map((value) => (
        <>
          {' '}
          <code>{value}</code>
        </>
      ))}
    </li>
  )
}
