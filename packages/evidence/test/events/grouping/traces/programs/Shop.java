import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

public class Shop {
    static class Cart {
        Object total(int n) {
            if (n % 2 == 0) throw new IllegalArgumentException("total of " + n + " items is too high");
            Object none = null;
            return none.toString();
        }
    }
    static Object checkout(int n) { return new Cart().total(n); }
    static Object refund(int n) { return new Cart().total(n); }
    static Object later(int n) { return List.of(n).stream().map(each -> new Cart().total(each)).toList(); }
    static Object wrapped(int n) {
        try { return checkout(n); } catch (IllegalArgumentException cause) { throw new IllegalStateException("order " + n + " failed", cause); }
    }
    static Object deep(int n) { return n == 0 ? checkout(2) : deep(n - 1); }
    static String quote(String s) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c < 32 || c == '"' || c == '\\') out.append(String.format("\\u%04x", (int) c)); else out.append(c);
        }
        return out.append('"').toString();
    }
    static void tell(String name, Runnable run) {
        try { run.run(); } catch (RuntimeException e) {
            StringWriter stack = new StringWriter();
            e.printStackTrace(new PrintWriter(stack));
            System.out.println("{\"truth\":" + quote(name) + ",\"type\":" + quote(e.getClass().getName()) + ",\"message\":" + quote(String.valueOf(e.getMessage())) + ",\"stack\":" + quote(stack.toString()) + "}");
        }
    }
    public static void main(String[] args) {
        for (int n : new int[] {2, 40}) {
            tell("checkout", () -> checkout(n));
            tell("refund", () -> refund(n));
            tell("callback", () -> later(n));
            tell("cause", () -> wrapped(n));
            tell("recursion", () -> deep(n));
            tell("property", () -> checkout(n + 1));
        }
    }
}
