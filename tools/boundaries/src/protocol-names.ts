import ts from 'typescript'

const protocols = new Set([
  'evm',
  'eth',
  'ethereum',
  'beacon',
  'jetton',
  'ton',
  'grpc',
  'solana',
  'geyser',
  'sui',
])

/**
 * Finds identifiers and strings that name a protocol or a chain, in source order. Comments may name one as an example.
 */
export function namesOfProtocols(text: string): readonly string[] {
  return identifiersOf(text).filter((name) =>
    name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).some((part) => protocols.has(part.toLowerCase())),
  )
}

/** Returns identifiers, property names and the contents of strings. */
function identifiersOf(text: string): readonly string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    const hasText =
      ts.isIdentifier(node) ||
      ts.isPrivateIdentifier(node) ||
      ts.isLiteralExpression(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    if (hasText) names.push(node.text)
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile('program.ts', text, ts.ScriptTarget.Latest))
  return names
}
