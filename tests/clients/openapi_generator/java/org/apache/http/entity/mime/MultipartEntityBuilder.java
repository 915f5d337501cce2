package org.apache.http.entity.mime;

import java.io.File;
import org.apache.http.HttpEntity;

public abstract class MultipartEntityBuilder {
  public static MultipartEntityBuilder create() {
    throw new UnsupportedOperationException("It stands in for a library, to compile with.");
  }

  public abstract MultipartEntityBuilder addTextBody(String name, String text);

  public abstract MultipartEntityBuilder addBinaryBody(String name, File file);

  public abstract HttpEntity build();
}
