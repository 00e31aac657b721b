import { useId } from 'preact/hooks'
import { pathOf, type Typed } from './encode.ts'
import type { Field } from './field-model.ts'

interface Shared {
  readonly typed: Typed
  readonly errors: Readonly<Record<string, string>>
  type(path: string, value: string): void
}

/** A field of a call and its nested fields. */
export function FieldView({
  field,
  path,
  ...shared
}: Shared & { readonly field: Field; readonly path: string }) {
  const { model, name, isRequired } = field
  if (model.kind !== 'group') return <Single field={field} path={path} {...shared} />
  return (
    <fieldset class="field">
      <legend class="code">
        {name}
        {!isRequired && <Optional />}
      </legend>
      <div class="group">
        {model.fields.map((below) => (
          <FieldView key={below.name} field={below} path={pathOf(path, below.name)} {...shared} />
        ))}
      </div>
    </fieldset>
  )
}

function Single({
  field,
  path,
  typed,
  errors,
  type,
}: Shared & { readonly field: Field; readonly path: string }) {
  const id = useId()
  const { model, name, isRequired, fallback } = field
  const error = errors[path]
  const control = {
    id,
    class: 'input code',
    value: typed[path] ?? fallback,
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : `${id}-error`,
  }
  const readValue = (event: { readonly currentTarget: { readonly value: string } }) =>
    type(path, event.currentTarget.value)
  const choices =
    model.kind === 'boolean' ? ['true', 'false'] : model.kind === 'choice' ? model.values : undefined
  const suggestions = model.kind === 'text' ? model.suggestions : []
  return (
    <div class="field">
      <label for={id}>
        <span class="code">{name}</span>
        {!isRequired && <Optional />}
      </label>
      {choices ? (
        <select {...control} onChange={readValue}>
          <option value="">{isRequired ? 'select' : 'not set'}</option>
          {choices.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      ) : model.kind === 'list' || model.kind === 'json' ? (
        <textarea
          {...control}
          rows={3}
          spellcheck={false}
          placeholder={model.kind === 'list' ? 'one per line' : 'JSON'}
          onInput={readValue}
        />
      ) : (
        <input
          {...control}
          autoComplete="off"
          spellcheck={false}
          inputMode={model.kind === 'number' ? 'numeric' : undefined}
          list={suggestions.length > 0 ? `${id}-words` : undefined}
          onInput={readValue}
        />
      )}
      {suggestions.length > 0 && (
        <datalist id={`${id}-words`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {error !== undefined && (
        <span id={`${id}-error`} class="field-error">
          {error}
        </span>
      )}
    </div>
  )
}

function Optional() {
  return <span class="muted small"> optional</span>
}
