import ts from 'typescript'
import { printed } from './printed.ts'
import { type Value, valueOf } from './value.ts'

/** The parts of a declaration that a user can see, in a form that allows two versions to be compared. */
export type Shape =
  | { readonly kind: 'function'; readonly signatures: readonly Signature[] }
  | {
      readonly kind: 'members'
      /** Type parameters and supertypes. */
      readonly head: string
      readonly members: ReadonlyMap<string, Member>
      /** Whether users can create values of it, which they cannot for a class or a constant. */
      readonly isOpen: boolean
    }
  | { readonly kind: 'union'; readonly head: string; readonly options: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }
  /** A value without a declared type. */
  | { readonly kind: 'value'; readonly value: Value }

/** A call signature of a function. */
export interface Signature {
  readonly typeParameters: string
  readonly parameters: readonly { readonly type: string; readonly isOptional: boolean }[]
  readonly returns: string
}

/** A property or method of an interface, an object type or a class. */
export interface Member {
  readonly isOptional: boolean
  readonly isReadonly: boolean
  readonly type: string
  readonly signature: Signature | undefined
}

/** Returns the shape of a declaration. Several declarations are the overloads of one function. */
export function shapeOf(declarations: readonly ts.Declaration[]): Shape {
  const functions = declarations.filter(ts.isFunctionDeclaration)
  if (functions.length > 0) {
    // If there are overloads, the implementation signature is not one of them.
    const overloads = functions.filter(({ body }) => body === undefined)
    return { kind: 'function', signatures: (overloads.length > 0 ? overloads : functions).map(signatureOf) }
  }
  const [node] = declarations
  if (!node) return { kind: 'text', text: '' }
  if (ts.isInterfaceDeclaration(node)) return members(node.members, headOf(node), true)
  if (ts.isClassDeclaration(node)) return members(node.members.filter(isVisible), headOf(node), false)
  if (ts.isTypeAliasDeclaration(node)) return shapeOfType(node.type, typeParameters(node), true)
  if (ts.isVariableDeclaration(node)) return shapeOfVariable(node)
  return { kind: 'text', text: printed(node) }
}

function shapeOfVariable({ type, initializer }: ts.VariableDeclaration): Shape {
  if (type) return shapeOfType(type, '', false)
  const value = initializer && withoutAssertion(initializer)
  if (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)))
    return { kind: 'function', signatures: [signatureOf(value)] }
  return initializer ? { kind: 'value', value: valueOf(initializer) } : { kind: 'text', text: '' }
}

function withoutAssertion(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)
    ? withoutAssertion(node.expression)
    : node
}

function shapeOfType(type: ts.TypeNode, head: string, isOpen: boolean): Shape {
  if (ts.isTypeLiteralNode(type)) return members(type.members, head, isOpen)
  if (ts.isUnionTypeNode(type)) return { kind: 'union', head, options: type.types.map(printed) }
  if (ts.isFunctionTypeNode(type)) return { kind: 'function', signatures: [signatureOf(type)] }
  return { kind: 'text', text: `${head} ${printed(type)}` }
}

function headOf(node: ts.InterfaceDeclaration | ts.ClassDeclaration): string {
  return [typeParameters(node), ...(node.heritageClauses ?? []).map(printed)].join(' ')
}

function typeParameters(node: {
  readonly typeParameters?: ts.NodeArray<ts.TypeParameterDeclaration> | undefined
}): string {
  return (node.typeParameters ?? []).map(printed).join(', ')
}

function isVisible(member: ts.ClassElement): boolean {
  if (member.name && ts.isPrivateIdentifier(member.name)) return false
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : []
  return !modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
}

function members(nodes: readonly (ts.TypeElement | ts.ClassElement)[], head: string, isOpen: boolean): Shape {
  const found = new Map<string, Member>()
  for (const node of nodes) {
    const member = memberOf(node)
    // Overloads of a method have keys with the text of their parameters.
    const name = node.name ? printed(node.name) : `[${ts.SyntaxKind[node.kind]}]`
    const key = found.has(name) ? `${name} ${member.type}` : name
    found.set(key, member)
  }
  return { kind: 'members', head, members: found, isOpen }
}

function memberOf(node: ts.TypeElement | ts.ClassElement): Member {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
  const isReadonly = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword)
  const isOptional = 'questionToken' in node && node.questionToken !== undefined
  const signature = isCallable(node) ? signatureOf(node) : functionTypeOf(node)
  return { isOptional, isReadonly, type: typeOfMember(node, signature), signature }
}

function typeOfMember(node: ts.TypeElement | ts.ClassElement, signature: Signature | undefined): string {
  if (signature) return JSON.stringify(signature)
  if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node))
    return node.type ? printed(node.type) : printed('initializer' in node ? node.initializer : undefined)
  return printed(node)
}

type Callable = ts.SignatureDeclaration

function isCallable(node: ts.Node): node is Callable {
  return (
    ts.isMethodSignature(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isCallSignatureDeclaration(node) ||
    ts.isConstructSignatureDeclaration(node) ||
    ts.isConstructorDeclaration(node) ||
    ts.isGetAccessor(node)
  )
}

function functionTypeOf(node: ts.TypeElement | ts.ClassElement): Signature | undefined {
  const type = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ? node.type : undefined
  return type && ts.isFunctionTypeNode(type) ? signatureOf(type) : undefined
}

function signatureOf(node: Callable): Signature {
  return {
    typeParameters: typeParameters(node),
    parameters: node.parameters.map((parameter) => ({
      type: `${parameter.dotDotDotToken ? '...' : ''}${printed(parameter.type)}`,
      isOptional:
        parameter.questionToken !== undefined ||
        parameter.initializer !== undefined ||
        parameter.dotDotDotToken !== undefined,
    })),
    returns: printed(node.type),
  }
}
