import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useFieldErrors } from './form.tsx'

interface FieldProps {
  /** Name in the platform API. */
  readonly name: string
  readonly label: string
  readonly hint?: ComponentChildren
}

interface Described {
  readonly id: string
  readonly name: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

/** A label, a control, a hint and the errors of its value, linked for accessibility. */
function Field({
  name,
  label,
  hint,
  children,
}: FieldProps & { children(control: Described): ComponentChildren }) {
  const id = useId()
  const errors = useFieldErrors(name)
  const isInvalid = errors.length > 0
  const describedBy = [hint === undefined ? '' : `${id}-hint`, isInvalid ? `${id}-error` : '']
    .join(' ')
    .trim()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, 'aria-invalid': isInvalid, 'aria-describedby': describedBy || undefined })}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="field-hint">
          {hint}
        </span>
      )}
      {isInvalid && (
        <span id={`${id}-error`} class="field-error">
          {errors.join(' ')}
        </span>
      )}
    </div>
  )
}

/** One line of text, a number, a password or a time. */
export function TextField({
  name,
  label,
  hint,
  value,
  type = 'text',
  required = false,
  ...rest
}: FieldProps & {
  readonly value?: string | number | null | undefined
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'url' | 'date' | 'datetime-local' | 'search'
  readonly required?: boolean
  readonly autoComplete?: string
  readonly placeholder?: string
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  onInput?(value: string): void
}) {
  const { onInput, ...inputProps } = rest
  // The types define another variant of the element for each type; these attributes are the same for all.
  const attributes: object = { ...inputProps, type }
  return (
    <Field name={name} label={label} hint={hint}>
      {(control) => (
        <input
          class="input"
          {...control}
          {...attributes}
          required={required}
          defaultValue={value ?? ''}
          step={type === 'number' ? 'any' : undefined}
          onInput={onInput && ((event) => onInput(event.currentTarget.value))}
        />
      )}
    </Field>
  )
}

/** Several lines of text. */
export function AreaField({
  name,
  label,
  hint,
  value,
  required = false,
  placeholder,
}: FieldProps & {
  readonly value?: string | undefined
  readonly required?: boolean
  readonly placeholder?: string
}) {
  return (
    <Field name={name} label={label} hint={hint}>
      {(control) => (
        <textarea
          class="input"
          {...control}
          required={required}
          spellcheck={false}
          placeholder={placeholder}
          defaultValue={value ?? ''}
        />
      )}
    </Field>
  )
}

/** An option of a choice. */
export interface Choice {
  readonly value: string
  readonly label: string
}

/** Selects one of several values. */
export function SelectField({
  name,
  label,
  hint,
  value,
  choices,
  onChange,
}: FieldProps & {
  readonly value?: string | undefined
  readonly choices: readonly Choice[]
  onChange?(value: string): void
}) {
  return (
    <Field name={name} label={label} hint={hint}>
      {(control) => (
        <select
          class="input"
          {...control}
          onChange={onChange && ((event) => onChange(event.currentTarget.value))}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A checkbox. */
export function CheckField({
  name,
  label,
  hint,
  checked = false,
}: FieldProps & { readonly checked?: boolean }) {
  const id = useId()
  return (
    <div class="choice">
      <input
        id={id}
        type="checkbox"
        name={name}
        defaultChecked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <div id={`${id}-hint`} class="field-hint">
            {hint}
          </div>
        )}
      </div>
    </div>
  )
}

/** Selects any number of several values. */
export function ChecksField({
  name,
  label,
  hint,
  choices,
  checked,
}: FieldProps & { readonly choices: readonly Choice[]; readonly checked: readonly string[] }) {
  const id = useId()
  const errors = useFieldErrors(name)
  return (
    <fieldset class="field" aria-describedby={errors.length > 0 ? `${id}-error` : undefined}>
      <legend>{label}</legend>
      {hint !== undefined && <span class="field-hint">{hint}</span>}
      <div class="choices">
        {choices.map((choice) => (
          <label key={choice.value} class="choice">
            <input
              type="checkbox"
              name={name}
              value={choice.value}
              defaultChecked={checked.includes(choice.value)}
              aria-invalid={errors.length > 0}
            />
            {choice.label}
          </label>
        ))}
      </div>
      {errors.length > 0 && (
        <span id={`${id}-error`} class="field-error">
          {errors.join(' ')}
        </span>
      )}
    </fieldset>
  )
}
