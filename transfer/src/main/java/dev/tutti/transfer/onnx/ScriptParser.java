package dev.tutti.transfer.onnx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads expressions of TorchScript as layers write them: calls, methods, attributes, indices, lists, numbers and arithmetic. */
final class ScriptParser {
    private static final Pattern TOKEN = Pattern.compile(
            "\\s*(?:(?<number>\\d+\\.?\\d*(?:[eE][-+]?\\d+)?)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<word>'[^']*')|(?<sign>//|[-+*/()\\[\\],.=:]))");

    private final List<String> tokens = new ArrayList<>();
    private final String text;
    private int next;

    private ScriptParser(String text) {
        this.text = text;
        Matcher matcher = TOKEN.matcher(text);
        int end = 0;
        while (end < text.length() && matcher.find(end) && matcher.start() == end) {
            tokens.add(matcher.group().strip());
            end = matcher.end();
        }
        if (!text.substring(end).isBlank()) {
            throw unreadable();
        }
    }

    /** @throws IllegalArgumentException if it is written in another way than layers write */
    static ScriptExpression parse(String expression) {
        ScriptParser parser = new ScriptParser(expression);
        ScriptExpression parsed = parser.choice();
        if (parser.next < parser.tokens.size()) {
            throw parser.unreadable();
        }
        return parsed;
    }

    private IllegalArgumentException unreadable() {
        return new IllegalArgumentException("the expression '" + text + "' is not understood");
    }

    private String peek() {
        return next < tokens.size() ? tokens.get(next) : "";
    }

    private boolean take(String token) {
        if (peek().equals(token)) {
            next++;
            return true;
        }
        return false;
    }

    private void require(String token) {
        if (!take(token)) {
            throw unreadable();
        }
    }

    /** {@code a if self.training else b}: an exported model does not train, so it is {@code b}. */
    private ScriptExpression choice() {
        ScriptExpression first = sum();
        if (take("if")) {
            sum();
            require("else");
            return sum();
        }
        return first;
    }

    private ScriptExpression sum() {
        ScriptExpression left = product();
        while (peek().equals("+") || peek().equals("-")) {
            String operator = tokens.get(next++);
            left = new ScriptExpression.Binary(operator, left, product());
        }
        return left;
    }

    private ScriptExpression product() {
        ScriptExpression left = unary();
        while (peek().equals("*") || peek().equals("/") || peek().equals("//")) {
            String operator = tokens.get(next++);
            left = new ScriptExpression.Binary(operator, left, unary());
        }
        return left;
    }

    private ScriptExpression unary() {
        if (take("-")) {
            ScriptExpression value = unary();
            if (value instanceof ScriptExpression.Constant constant) {
                Number number = constant.value();
                return number instanceof Long whole
                        ? new ScriptExpression.Constant(-whole)
                        : new ScriptExpression.Constant(-number.doubleValue());
            }
            return new ScriptExpression.Binary("*", new ScriptExpression.Constant(-1.0), value);
        }
        return postfix(primary());
    }

    private ScriptExpression primary() {
        String token = peek();
        next++;
        if (token.isEmpty()) {
            throw unreadable();
        }
        char first = token.charAt(0);
        if (Character.isDigit(first)) {
            return new ScriptExpression.Constant(
                    token.matches("\\d+") ? (Number) Long.valueOf(token) : (Number) Double.valueOf(token));
        }
        if (first == '\'') {
            return new ScriptExpression.Word(token.substring(1, token.length() - 1));
        }
        if (token.equals("None") || token.equals("True") || token.equals("False")) {
            return new ScriptExpression.Word(token);
        }
        if (token.equals("(")) {
            ScriptExpression inner = choice();
            require(")");
            return inner;
        }
        if (token.equals("[")) {
            return new ScriptExpression.Elements(list("]"));
        }
        if (Character.isLetter(first) || first == '_') {
            return new ScriptExpression.Name(token);
        }
        throw unreadable();
    }

    private List<ScriptExpression> list(String end) {
        List<ScriptExpression> values = new ArrayList<>();
        while (!take(end)) {
            values.add(choice());
            if (!peek().equals(end)) {
                require(",");
            }
        }
        return values;
    }

    private ScriptExpression postfix(ScriptExpression value) {
        ScriptExpression current = value;
        while (true) {
            if (take(".")) {
                String name = tokens.get(next++);
                if (take("(")) {
                    boolean function = current instanceof ScriptExpression.Name base
                            && base.text().equals("torch");
                    current = call(function ? null : current, name);
                } else if (current instanceof ScriptExpression.Name base) {
                    current = new ScriptExpression.Name(base.text() + "." + name);
                } else {
                    throw unreadable();
                }
            } else if (take("[")) {
                ScriptExpression index = choice();
                boolean tail = take(":");
                require("]");
                current = tail ? new ScriptExpression.Tail(current, index) : new ScriptExpression.Index(current, index);
            } else {
                return current;
            }
        }
    }

    private ScriptExpression call(ScriptExpression object, String function) {
        List<ScriptExpression> arguments = new ArrayList<>();
        Map<String, ScriptExpression> named = new LinkedHashMap<>();
        while (!take(")")) {
            if (next + 1 < tokens.size() && tokens.get(next + 1).equals("=")) {
                String name = peek();
                next += 2;
                named.put(name, choice());
            } else {
                arguments.add(choice());
            }
            if (!peek().equals(")")) {
                require(",");
            }
        }
        return new ScriptExpression.Call(object, function, arguments, named);
    }
}
