// What would end a line, or change its meaning on the way to Latin-1.
const unfitValue = /[^\t\u0020-\u007e\u0080-\u00ff]/
const unfitName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/
const unfitTarget = /[^\u0021-\u007e\u0080-\u00ff]/

/**
 * Writes header fields as lines of a request.
 *
 * @throws TypeError for a field that cannot stand in a request; the message does not quote it
 * @see RFC 9110, section 5
 */
export function headerLines(fields: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const [name, value] of Object.entries(fields)) {
    if (name === '' || unfitName.test(name) || unfitValue.test(value)) {
      throw new TypeError('A header field cannot be sent.')
    }
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** Tells whether a text can be the target of a request. */
export function isTarget(target: string): boolean {
  return target.startsWith('/') && !unfitTarget.test(target)
}
