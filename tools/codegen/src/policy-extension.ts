/** Extension of methods and operations that only the gateway reads. Published packages and documents omit it. */
export const policyExtension = 'x-gateway'

/** File of a family, next to its documents, that only the gateway reads. */
export const policyFile = 'x-gateway.yaml'

/** Returns a document without the policies of the gateway. */
export function withoutPolicies(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withoutPoliciesIn(document) as Record<string, unknown>
}

function withoutPoliciesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPoliciesIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      key === policyExtension ? [] : [[key, withoutPoliciesIn(item)]],
    ),
  )
}

/**
 * Splits the text of a YAML file into the policies of the gateway, each with its key and the lines below it, and
 * everything else.
 */
export function splitPolicies(text: string): { readonly policies: string; readonly others: string } {
  const policies: string[] = []
  const others: string[] = []
  let policyIndent: number | undefined
  for (const line of text.split(/(?<=\n)/)) {
    const indent = line.search(/\S/)
    const isBelow = policyIndent !== undefined && (indent < 0 || indent > policyIndent)
    if (!isBelow)
      policyIndent = line.startsWith(`${policyExtension}:`, Math.max(indent, 0)) ? indent : undefined
    if (policyIndent === undefined) others.push(line)
    else policies.push(line)
  }
  return { policies: policies.join(''), others: others.join('') }
}
