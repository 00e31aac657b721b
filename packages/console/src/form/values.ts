/** The trimmed text of a field; empty when the field does not exist. */
export function text(values: FormData, name: string): string {
  const value = values.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** The text of a field, or null when it is empty. */
export function textOrNull(values: FormData, name: string): string | null {
  return text(values, name) || null
}

/** The text of a password, which is not trimmed. */
export function password(values: FormData, name: string): string {
  const value = values.get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * The number in a field, or null when it is empty; NaN becomes null in JSON and causes a validation error at its field.
 */
export function numberOrNull(values: FormData, name: string): number | null {
  const value = text(values, name)
  return value === '' ? null : Number(value)
}

/** Whether a checkbox is checked. */
export function isChecked(values: FormData, name: string): boolean {
  return values.has(name)
}

/** The values of all checked checkboxes of a name that are valid choices. */
export function checkedValues<Value extends string>(
  values: FormData,
  name: string,
  choices: readonly Value[],
): Value[] {
  const all = new Set(values.getAll(name))
  return choices.filter((value) => all.has(value))
}

/** The selected value; the first choice when none is selected. */
export function selectedValue<Value extends string>(
  values: FormData,
  name: string,
  choices: readonly [Value, ...Value[]],
): Value {
  const value = text(values, name)
  return choices.find((choice) => choice === value) ?? choices[0]
}

/** The time in a field in UTC, or null when it is empty; fields use the time zone of the browser. */
export function timeOrNull(values: FormData, name: string): string | null {
  const value = text(values, name)
  if (value === '') return null
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? value : date.toISOString()
}

/** A time in the format of a time field. */
export function localTime(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}
