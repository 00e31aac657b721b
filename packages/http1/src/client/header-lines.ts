// Characters that would end a line or that Latin-1 cannot encode.
const invalidValue = /[^\t\u0020-\u007e\u0080-\u00ff]/
const invalidName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/
const invalidTarget = /[^\u0021-\u007e\u0080-\u00ff]/

/**
 * Serializes header fields as lines of a request.
 *
 * @throws TypeError for a field that is not valid in a request; the message does not quote it
 * @see RFC 9110, section 5
 */
export function headerLines(fields: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const [name, value] of Object.entries(fields)) {
    if (name === '' || invalidName.test(name) || invalidValue.test(value)) {
      throw new TypeError('A header field contains an invalid character.')
    }
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

/** Whether a text is a valid request target. */
export function isTarget(target: string): boolean {
  return target.startsWith('/') && !invalidTarget.test(target)
}
