import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A label with its control. */
export function Control({
  label,
  hint,
  children,
}: {
  readonly label: ComponentChildren
  readonly hint?: string
  children(attributes: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
  }): ComponentChildren
}) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <span id={hintId} class="field-hint">
          {hint}
        </span>
      )}
    </div>
  )
}

/** An editor for several lines of code. */
export function CodeControl({
  label,
  hint,
  value,
  onValue,
}: {
  readonly label: string
  readonly hint?: string
  readonly value: string
  onValue(value: string): void
}) {
  return (
    <Control label={label} {...(hint !== undefined && { hint })}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="input"
          spellcheck={false}
          rows={Math.min(16, Math.max(3, value.split('\n').length))}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Control>
  )
}

/** An input for a secret; browsers do not offer to save it. */
export function SecretControl({
  label,
  hint,
  value,
  onValue,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  onValue(value: string): void
}) {
  return (
    <Control label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          type="password"
          autoComplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value.trim())}
        />
      )}
    </Control>
  )
}

/** Selects one of several values. */
export function ChoiceControl({
  label,
  hint,
  value,
  choices,
  onValue,
}: {
  readonly label: ComponentChildren
  readonly hint?: string | undefined
  readonly value: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  onValue(value: string): void
}) {
  return (
    <Control label={label} {...(hint !== undefined && { hint })}>
      {(attributes) => (
        <select
          {...attributes}
          class="input"
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Control>
  )
}
