package peers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The two fields of a JSON tick that the job needs; the whole value is read, as a fault behind them counts. */
public record Tick(String symbol, long time) {
  private static final JsonFactory JSON = new JsonFactory();

  public static Tick of(byte[] value) {
    String symbol = null;
    long time = 0;
    try (JsonParser p = JSON.createParser(value)) {
      p.nextToken();
      while (p.nextToken() == JsonToken.FIELD_NAME) {
        String name = p.currentName();
        p.nextToken();
        if (name.equals("symbol")) {
          symbol = p.getText();
        } else if (name.equals("timestamp_ns")) {
          time = p.getLongValue();
        } else {
          p.skipChildren();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Tick(symbol, time);
  }
}
